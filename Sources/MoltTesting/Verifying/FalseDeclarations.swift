internal import Molt

/// What migrations declare about older releases, and what fixtures disprove.
struct FalseDeclarations {
    private var findings: [Finding: Occurrences] = [:]

    /// A reason why the declaration of some migrations is false.
    struct Finding: Hashable {
        /// The migrations, one of which has caused it.
        private(set) var migrations: [MigrationID]
        /// What they declare.
        private(set) var declarations: Set<String>
        private(set) var type: String
        private(set) var problem: Problem

        init(_ migrations: [Migration], _ type: String, _ problem: Problem) {
            self.migrations = migrations.map(\.id)
            declarations = Set(
                migrations.map {
                    $0.olderReleases == .write ? "olderReleases(may: .write)" : "olderReleases(may: .read)"
                }
            )
            self.type = type
            self.problem = problem
        }

        /// Whether another finding is about the same property.
        func isAboutProperty(of other: Finding) -> Bool {
            type == other.type && problem.property == other.problem.property
        }

        /// Whether another one is the same with fewer migrations.
        func isVaguer(than other: Finding) -> Bool {
            type == other.type && problem == other.problem && migrations.count > other.migrations.count
                && Set(migrations).isSuperset(of: other.migrations)
        }
    }

    enum Problem: Hashable {
        /// The records are missing.
        case missing
        /// The records have another type name.
        case renamed(String)
        case reading(OlderReading.Problem)
        /// A property is lost when the release sets a value; the path to the property.
        case overwriting(String)
        /// Today's type cannot read a value that the release adds.
        case adding(String)

        /// The path to the property; nil for a problem with the record itself.
        var property: String? {
            if case .reading(let problem) = self { problem.property } else { nil }
        }
    }

    private struct Occurrences {
        /// The versions of the older releases.
        var versions: Set<Int> = []
        /// Fixtures with keys of some records, in the order in which they were found.
        var stores: [String] = []
    }

    /// - Parameters:
    ///   - found: Findings in a fixture, with the keys of the records.
    ///   - version: The version of the older release.
    ///   - name: The fixture's name.
    mutating func add(_ found: [Finding: [String]], _ version: Int, _ name: String) {
        for (finding, keys) in found {
            var occurrences = findings[finding] ?? Occurrences()
            occurrences.versions.insert(version)
            let store = "\(name), \(Shown.some(keys))"
            if !occurrences.stores.contains(store) { occurrences.stores.append(store) }
            findings[finding] = occurrences
        }
    }

    // MARK: Failures

    /// The failures of all fixtures, by migration.
    func failures(of migrations: MigrationRegistry) -> FailureList {
        var list = FailureList()
        let order = Dictionary(migrations.migrations.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let clearest = findings.filter { finding, _ in !findings.keys.contains { finding.isVaguer(than: $0) } }
        let texts = clearest.map { finding, occurrences in
            let position = finding.migrations.first.flatMap { order[$0] } ?? 0
            let vaguer = findings.filter { $0.key.isVaguer(than: finding) }.values
            let versions = vaguer.reduce(occurrences.versions) { $0.union($1.versions) }
            return (position, Self.text(finding, versions.sorted()), occurrences.stores)
        }
        for (_, text, stores) in texts.sorted(by: { ($0.0, $0.1) < ($1.0, $1.1) }) {
            for store in stores { list.add(.olderRelease, "registry", text, at: .summary(store)) }
        }
        return list
    }

    private static func text(_ finding: Finding, _ versions: [Int]) -> String {
        let names = finding.migrations.map(\.description).joined(separator: ", ")
        let declarations = finding.declarations.sorted().joined(separator: " or ")
        let claim =
            finding.migrations.count == 1
            ? "migration \(names) declares \(declarations)" : "one of the migrations \(names) declares \(declarations)"
        let numbers = versions.map(String.init).joined(separator: ", ")
        let release = versions.count == 1 ? "a release of version \(numbers)" : "releases of versions \(numbers)"
        return "\(claim), but \(release) \(Self.text(finding.problem, of: finding.type)), or remove the declaration."
    }

    /// What a release would meet, and what to keep.
    private static func text(_ problem: Problem, of type: String) -> String {
        func location(_ property: String) -> String {
            property.isEmpty || property.hasPrefix("[]") ? type + property : "\(type).\(property)"
        }
        switch problem {
        case .missing: return "would not find the records of type \(type). Keep the records"
        case .renamed(let name):
            return "would not find the records of type \(type), which have the type \(name). Keep the name"
        case .overwriting(let property):
            return
                "would remove \(location(property)) when it changes a value, because it replaces that part of the value "
                + "as a whole. Keep the property outside of it"
        case .adding(let problem):
            return
                "could add a value of type \(type) that today's type cannot read: \(problem) Make the property optional"
        case .reading(let problem):
            let location = location(problem.property)
            switch problem.kind {
            case .missing: return "could not read \(type), because \(location) is missing. Keep the property"
            case .lost: return "would not find \(location), which the records had. Keep the property"
            case .form(let expected, let found):
                return "could not read \(location): it expects \(expected), and finds \(found). Keep the form"
            case .unknownCase(let name):
                return
                    "could not read \(location): it does not know the case \"\(Shown.text(name))\". Keep the old cases"
            }
        }
    }
}
