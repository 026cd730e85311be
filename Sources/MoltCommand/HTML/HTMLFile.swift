import Foundation
import Molt

/// The file that a page is written to.
struct HTMLFile {
    let path: String

    /// Checks that no other file would be replaced, such as the store itself.
    ///
    /// - Throws: ``CommandError`` if there is one that is not a page.
    init(_ path: String) throws {
        self.path = URL(filePath: path).path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: self.path) else { return }
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw CommandError("\(path) is not a regular file; name a file for the page")
        }
        let start = Data("<!DOCTYPE html>".utf8)
        let file = try? FileHandle(forReadingFrom: URL(filePath: path))
        guard let file, (try? file.read(upToCount: start.count)) == start else {
            throw CommandError("\(path) is not an HTML page, and is not replaced; choose another name for the page")
        }
    }

    /// A line that names the page once it is written.
    var written: String { "The page is at \(path)." }

    /// Writes the page; only the user can read it, because it may show records.
    ///
    /// A reader finds the old page or the new one, and never a part.
    ///
    /// - Throws: ``CommandError``.
    func write(_ page: HTMLPage) throws {
        do throws(DurableFile.Failure) {
            let part = try PartFile("\(path).\(UUID().uuidString.prefix(8))")
            try part.write(Data(page.text.utf8))
            try part.replace(path)
        } catch {
            throw CommandError("the page cannot be written to \(path): \(error.reason)")
        }
    }
}
