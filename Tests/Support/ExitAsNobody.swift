package import Foundation
package import Molt

/// Gives up the rights of root, runs a test in a directory of its own, and ends the process with the outcome.
package func exitAsNobody(_ test: (URL) throws -> Bool) throws {
    if getuid() == 0, setuid(65_534) != 0 { exit(2) }
    let scratch = try ScratchDirectory()
    let isRight = try test(scratch.file())
    try? FileManager.default.removeItem(at: scratch.url)
    exit(isRight ? 0 : 1)
}

/// Whether a closure throws a cache error with a given code.
package func throwsCode(_ code: MoltError.Code, _ body: () throws -> Void) -> Bool {
    do {
        try body()
        return false
    } catch {
        return (error as? MoltError)?.code == code
    }
}
