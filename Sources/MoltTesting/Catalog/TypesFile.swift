internal import Molt

/// The content of the file `types.json`: the shapes of the app's types at each recorded version.
struct TypesFile: VersionsFile {
    /// The shapes by version, and by the name of a type or ``SampledSetting``.
    var versions: [Int: [String: TypeShape]] = [:]

    static let subject = "types"
    static let conflictAdvice =
        "\(FixtureText.conflict) Remove them, and keep all versions of both sides; of a version that both have changed, keep "
        + "either one. Then: \(RecordingMode.never.command)"
}
