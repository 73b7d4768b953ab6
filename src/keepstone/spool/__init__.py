"""The spool of accepted work (hot), the job table, schedules, event names."""
