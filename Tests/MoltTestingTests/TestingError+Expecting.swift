import Foundation
import MoltTesting
import Testing

extension TestingError {
    /// Expects that a closure throws an error with a code, and that its message contains some words.
    ///
    /// - Parameter file: The file that the error names; nil is not compared.
    @discardableResult
    static func expect<Result>(
        _ code: Code,
        file: URL? = nil,
        says words: String...,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Result
    ) throws -> TestingError {
        let error = try #require(throws: TestingError.self, sourceLocation: sourceLocation) { _ = try body() }
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        if let file { #expect(error.file == file, sourceLocation: sourceLocation) }
        for words in words {
            #expect(error.message.contains(words), "\(error)", sourceLocation: sourceLocation)
        }
        return error
    }
}
