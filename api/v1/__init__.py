"""The routes of `/api/v1`, one package per subject. Routes check input and call read/ or control/; they hold no SQL."""
