"""`eas doctor`: the checks of this machine and of the state that earlier runs left."""
