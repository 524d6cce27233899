"""Routes of organizations: settings, plan, operations, restatements and the audit log."""
