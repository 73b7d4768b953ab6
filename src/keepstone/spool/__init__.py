"""The spool of accepted work (hot), the job table and schedules."""
