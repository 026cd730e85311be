import Foundation

/// What a kill during the library's own write of a suite's file leaves of it.
enum SuiteDamage: CaseIterable {
    case none, empty, half

    func happen(to name: String) throws {
        let file = try TestHome.directory.appendingPathComponent("\(name).plist")
        guard self != .none, let bytes = try? Data(contentsOf: file) else { return }
        try ScratchSuite(named: name).writeFile(self == .half ? bytes.prefix(bytes.count / 2) : Data())
    }
}
