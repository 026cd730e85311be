/// People who belong together; the same in every release so far.
package struct Group: Codable, Hashable, Sendable {
    /// What the group is called.
    package var name: String
    /// The keys of its people.
    package var members: [String]

    /// Creates a group.
    package init(name: String, members: [String]) {
        self.name = name
        self.members = members
    }
}
