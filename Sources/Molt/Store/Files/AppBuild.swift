internal import Foundation

/// The build of the app that this process runs.
package enum AppBuild {
    /// The build number of the main bundle, or else what tells the executable from another one.
    ///
    /// Two builds may have one short version, and an executable without a bundle has none.
    package static let current: String = {
        if let number = Bundle.main.object(forInfoDictionaryKey: "CFBundleVersion") as? String { return number }
        guard let path = Bundle.main.executablePath, let status = try? FileStatus.of(path) else { return "" }
        return "\(status.size) bytes, \(status.modified)"
    }()
}
