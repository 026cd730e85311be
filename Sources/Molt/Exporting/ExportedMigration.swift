internal import Foundation

/// A migration that a store or a suite counts as applied, as an export lists it.
///
/// An import makes a row of the ledger of it, from which ``History`` tells what is left to do.
struct ExportedMigration: Equatable, Sendable {
    let name: String
    let version: Int
    /// What the row says of each migration that it has replaced; nil for none, so that it is left out.
    let replaces: [String: Int]?

    init(_ row: LedgerEntry) {
        (name, version) = (row.name, row.version)
        replaces = row.isReplacing ? row.replacedByName : nil
    }

    init(_ id: MigrationID) {
        (name, version, replaces) = (id.name, id.version, nil)
    }

    /// Reads a migration; nil for anything else.
    init?(_ part: JSONPart) {
        guard let members = part.members else { return nil }
        var values: [String: JSONPart] = [:]
        for (name, value) in members {
            guard let name = name.string, ["name", "version", "replaces"].contains(name), values[name] == nil else {
                return nil
            }
            values[name] = value
        }
        guard let name = values["name"]?.string,
            let version = (values["version"]?.text).flatMap({ Int32($0) }), version > 0
        else { return nil }
        (self.name, self.version) = (name, Int(version))
        guard let part = values["replaces"] else {
            replaces = nil
            return
        }
        guard let parts = part.members, !parts.isEmpty else { return nil }
        var replaces: [String: Int] = [:]
        for (name, kind) in parts {
            guard let name = name.string, replaces[name] == nil, let kind = Int32(kind.text) else { return nil }
            replaces[name] = Int(kind)
        }
        self.replaces = replaces
    }

    /// Its members in the settings of an export, whose names are in order.
    var members: EncodedMembers { ["name": name, "version": version, "replaces": replaces] }

    /// Writes the migration as a JSON object.
    func write(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"name":"#.utf8)
        JSONString.write(name, to: &bytes)
        bytes.append(contentsOf: #","version":\#(version)"#.utf8)
        for (index, (name, kind)) in (replaces ?? [:]).sortedByKey.enumerated() {
            bytes.append(contentsOf: (index == 0 ? #","replaces":{"# : ",").utf8)
            JSONString.write(name, to: &bytes)
            bytes.append(contentsOf: ":\(kind)".utf8)
        }
        bytes.append(contentsOf: (replaces == nil ? "}" : "}}").utf8)
    }

    /// The row of a ledger, apart from dates and counts.
    var row: LedgerEntry {
        var row = LedgerEntry(name: name, version: version, appliedAt: Date())
        row.replacedByName = replaces ?? [:]
        return row
    }
}
