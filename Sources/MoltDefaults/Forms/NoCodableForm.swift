internal import MoltCore

/// Why JSON text of a type with a bridge of its own cannot be converted: nothing says how to read it.
struct NoCodableForm: ValueFreeError {
    /// The type's name.
    var type: String

    /// The reason, as reports show it.
    var description: String {
        "JSON text of \(type), which is not Codable and names no Codable form"
    }
}
