// Apps import one module. `@_exported` is the only way that Swift has to re-export a module.
@_exported public import MoltCache
@_exported public import MoltCore
@_exported public import MoltDefaults
