-- Lets the database itself keep people's own memories apart, and not only Keepstone: for a server whose users have roles of
-- their own and might ask it by other means. Run it as the owner of the tables, once; people connect as members of
-- keepstone_people, each by a role whose name is their KEEPSTONE_USER. What is said by words is looked for without an index then:
-- PostgreSQL uses none behind a policy whose operator it does not trust to keep a secret.
--
--     psql -d keepstone -f row-level-security.sql
--     psql -d keepstone -c 'CREATE ROLE ann LOGIN PASSWORD '"'...'"' IN ROLE keepstone_people'

BEGIN;

DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'keepstone_people') THEN  -- another database of the server has it
        CREATE ROLE keepstone_people NOLOGIN;
    END IF;
END $$;
GRANT USAGE ON SCHEMA keepstone, keepstone_mine TO keepstone_people;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA keepstone, keepstone_mine TO keepstone_people;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA keepstone TO keepstone_people;
DO $$
DECLARE
    shown text;
BEGIN
    FOR shown IN SELECT viewname FROM pg_views WHERE schemaname = 'keepstone_mine' LOOP
        EXECUTE format('ALTER VIEW keepstone_mine.%I SET (security_invoker = true)', shown);
    END LOOP;
END $$;

ALTER TABLE keepstone.memory ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON keepstone.memory USING (scope <> 'user' OR user_id = current_user);

DO $$
DECLARE
    of_memory text;
BEGIN
    FOREACH of_memory IN ARRAY ARRAY['evidence', 'memory_facet', 'memory_version', 'vector', 'rating', 'focus',
        'merged_from', 'delivery'] LOOP
        EXECUTE format('ALTER TABLE keepstone.%I ENABLE ROW LEVEL SECURITY', of_memory);
        EXECUTE format('CREATE POLICY mine ON keepstone.%I USING (EXISTS (
            SELECT 1 FROM keepstone.memory m WHERE m.id = memory_id))', of_memory);
    END LOOP;
END $$;

ALTER TABLE keepstone.observation ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON keepstone.observation USING (user_id = current_user);
ALTER TABLE keepstone.suggestion ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON keepstone.suggestion USING (user_id = current_user);
ALTER TABLE keepstone.turn ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON keepstone.turn USING (user_id = current_user);
ALTER TABLE keepstone.memory_window ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON keepstone.memory_window USING (EXISTS (SELECT 1 FROM keepstone.memory m WHERE m.seq = memory_window.seq));
ALTER TABLE keepstone.relationship ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON keepstone.relationship USING (EXISTS (SELECT 1 FROM keepstone.memory m WHERE m.id = source_id)
    AND EXISTS (SELECT 1 FROM keepstone.memory m WHERE m.id = target_id));

COMMIT;
