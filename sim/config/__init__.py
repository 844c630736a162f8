"""Part of dispatch-balance."""
