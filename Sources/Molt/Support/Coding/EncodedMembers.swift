/// The members of a JSON object, in the order in which they are written.
struct EncodedMembers: Encodable, ExpressibleByDictionaryLiteral {
    private var members: [(name: MemberName, value: any Encodable)] = []

    /// Members; those without a value are left out.
    init(dictionaryLiteral members: (MemberName, (any Encodable)?)...) {
        for case (let name, let value?) in members { self.members.append((name, value)) }
    }

    /// Adds members.
    static func += (members: inout EncodedMembers, others: EncodedMembers) {
        members.members += others.members
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        for (name, value) in members { try container.encode(value, forKey: name) }
    }
}

extension Encoder {
    /// Writes a JSON object.
    func encode(_ members: EncodedMembers) throws {
        try members.encode(to: self)
    }
}
