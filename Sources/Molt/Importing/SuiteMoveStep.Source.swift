internal import Foundation

extension SuiteMoveStep {
    /// The place that the settings come from.
    enum Source: Sendable {
        case suite(Suite)
        /// A property list.
        case file(AttachedFile)
    }
}

extension SuiteMoveStep.Source: CustomStringConvertible {
    /// The suite's name, or that of the file without its directory.
    var description: String {
        switch self {
        case .suite(let suite): suite.description
        case .file(let file): file.fileName
        }
    }

    /// The name in reports.
    var name: String {
        switch self {
        case .suite(let suite): suite.attachedName
        case .file(let file): file.fileName
        }
    }

    var attached: AttachedStore {
        switch self {
        case .suite(let suite): .suite(suite)
        case .file(let file): .file(file)
        }
    }

    /// The kind of the step, which must never change.
    var kind: String {
        switch self {
        case .suite: "suiteToAppGroup"
        case .file: "propertyListToSuite"
        }
    }

    /// Its part of fingerprints, which must stay the same in every process and in all releases of Molt.
    var identity: String {
        switch self {
        case .suite(let suite): suite.declaredName
        case .file(let file): file.fileName
        }
    }

    // MARK: Checking

    var faults: [String] {
        guard case .file(let file) = self, !file.path.hasPrefix("/") else { return [] }
        return ["\(file.path) is not the URL of a file. Make it with `URL(filePath:)`."]
    }

    /// Whether the declaration shows that the source is the destination.
    func isSame(as destination: Suite) -> Bool {
        switch self {
        case .suite(let suite): suite.isSameDomain(as: destination)
        case .file(let file): file.path == destination.preferencesPath
        }
    }

    /// Whether the file of the source is also that of the destination, as through a link.
    func isSameFile(as destination: Suite) -> Bool {
        switch self {
        case .suite(let suite): suite.isSameFile(as: destination)
        case .file(let file): DurableFile.isSame(file.path, destination.preferencesPath)
        }
    }

    // MARK: Reading

    /// The current settings, in the form that the platform stores; none if the file does not exist.
    func values(_ migration: MigrationContext) throws -> [String: PropertyListValue] {
        switch self {
        case .suite(let suite):
            let settings = try migration.suite(suite)
            return try settings.keys.reduce(into: [:]) { $0[$1] = try settings.value(forKey: $1) }
        case .file(let file):
            return try Self.values(in: file).withoutReservedKeys.mapValues { $0.asStored() }
        }
    }

    private static func values(in file: AttachedFile) throws -> [String: PropertyListValue] {
        guard let bytes = try file.read() else { return [:] }
        var cause: (any Error)?
        do {
            if let values = try PropertyListReader.value(bytes, around: 1).dictionary { return values }
        } catch {
            cause = error
        }
        throw MoltError(
            .settingUnreadable,
            "The file at \(file.path) is damaged, or it is not a property list of keys and values that a suite can hold.",
            advice: "Restore it from a backup, or remove it: the migration then copies nothing.",
            suite: file.path,
            underlying: cause
        )
    }
}
