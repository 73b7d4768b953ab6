-- Lets the database itself keep people's own memories apart, and not only Cairn: for a server whose users have roles of
-- their own and might ask it by other means. Run it as the owner of the tables, once; people connect as members of
-- cairn_people, each by a role whose name is their CAIRN_USER. What is said by words is looked for without an index then:
-- PostgreSQL uses none behind a policy whose operator it does not trust to keep a secret.
--
--     psql -d cairn -f row-level-security.sql
--     psql -d cairn -c 'CREATE ROLE ann LOGIN PASSWORD '"'...'"' IN ROLE cairn_people'

BEGIN;

DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'cairn_people') THEN  -- another database of the server has it
        CREATE ROLE cairn_people NOLOGIN;
    END IF;
END $$;
GRANT USAGE ON SCHEMA cairn, cairn_mine TO cairn_people;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA cairn, cairn_mine TO cairn_people;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA cairn TO cairn_people;
DO $$
DECLARE
    shown text;
BEGIN
    FOR shown IN SELECT viewname FROM pg_views WHERE schemaname = 'cairn_mine' LOOP
        EXECUTE format('ALTER VIEW cairn_mine.%I SET (security_invoker = true)', shown);
    END LOOP;
END $$;

ALTER TABLE cairn.memory ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON cairn.memory USING (scope <> 'user' OR user_id = current_user);

DO $$
DECLARE
    of_memory text;
BEGIN
    FOREACH of_memory IN ARRAY ARRAY['evidence', 'memory_facet', 'memory_version', 'vector', 'rating', 'focus',
        'merged_from', 'delivery'] LOOP
        EXECUTE format('ALTER TABLE cairn.%I ENABLE ROW LEVEL SECURITY', of_memory);
        EXECUTE format('CREATE POLICY mine ON cairn.%I USING (EXISTS (
            SELECT 1 FROM cairn.memory m WHERE m.id = memory_id))', of_memory);
    END LOOP;
END $$;

ALTER TABLE cairn.observation ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON cairn.observation USING (user_id = current_user);
ALTER TABLE cairn.memory_window ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON cairn.memory_window USING (EXISTS (SELECT 1 FROM cairn.memory m WHERE m.seq = memory_window.seq));
ALTER TABLE cairn.relationship ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON cairn.relationship USING (EXISTS (SELECT 1 FROM cairn.memory m WHERE m.id = source_id)
    AND EXISTS (SELECT 1 FROM cairn.memory m WHERE m.id = target_id));

COMMIT;
