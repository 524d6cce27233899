"""Sign-in with identity providers: those of the deployment, OpenID Connect, and GitHub's OAuth 2.

Keep out: the accounts behind identities (control/identity_providers), routes and pages (auth).
"""
