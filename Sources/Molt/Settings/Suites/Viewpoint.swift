/// The process that looks at settings, and the file of the store for which it does.
struct Viewpoint {
    /// Whether the process is not the app: it has a standard suite of its own, and may not see the app's files.
    var isExtension: Bool
    /// The domains that the app had before.
    var formerDomains: Set<String>
    /// The domain that the store's file knows as the standard suite; nil if no upgrade has worked on it.
    var standardDomain: String?
}
