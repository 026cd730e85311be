internal import Molt

/// By what the list of people is sorted; in the settings it stands as JSON text, as it always did.
package enum SortOrder: String, Codable, Sendable, DefaultsSerializable {
    /// By the first name.
    case firstName = "First Name"
    /// By the last name.
    case lastName = "Last Name"
}
