"""Install, bootstrap, doctor, prove, status, week, onboarding."""
