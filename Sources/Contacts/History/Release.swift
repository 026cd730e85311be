/// A release that has shipped: its models as they were, and its migrations as they were.
///
/// An app keeps no such code: it keeps its migrations, and in its tests a store that each release wrote. It is here to
/// show where those stores come from, and to write larger ones.
package protocol Release: SendableMetatype {
    /// What the release called a person.
    associatedtype Contact: Codable & Sendable
    /// Its model of a call.
    associatedtype Call: Codable & Sendable

    /// The release's number.
    static var number: Int { get }
    /// A contact in the shape that the release had.
    static func contact(_ sample: SampleContact) -> Contact
    /// A call in the shape that the release had.
    static func call(_ sample: SampleCall) -> Call
}
