/// An enumeration whose raw values are parts of fingerprints, so that they must stay the same in all releases of Molt.
protocol FingerprintPart: RawRepresentable<String> {}

extension FingerprintPart {
    var identity: String { rawValue }
}
