import Foundation
import TestSupport
import Testing

@testable import Molt

@Suite struct `The name of a suite` {
    @Test func `is compared by the domain that it stands for`() {
        let own = Suite(Suite.standard.domainName)
        #expect(own.isSameDomain(as: .standard))
        #expect(own != .standard)
        #expect(!Suite("a").isSameDomain(as: Suite("b")))
        #expect(Suite("group.a").description == "group.a")
        #expect(Suite.standard.description == "standard")
    }

    @Test(arguments: ["", "NSGlobalDomain", "Apple Global Domain", "NSArgumentDomain", "a\0b"])
    func `is refused when no suite can have it`(name: String) {
        let suite = Suite(name)
        #expect(throws: MoltError.self) { try suite.validate() }?.expect(.invalidSuite, store: name)
        #expect(throws: MoltError.self) { try suite.value(forKey: "a") }
        #expect(throws: MoltError.self) { try suite.set(1, forKey: "a") }
        #expect(throws: MoltError.self) { try suite.values() }
        #expect(throws: MoltError.self) { try suite.synchronize() }
        #expect(throws: MoltError.self) { try suite.checkWritable() }
        #expect(throws: MoltError.self) { try suite.upgrade(with: [Migration(to: 1, "one")]) }
    }

    #if os(Linux)
        @Test(arguments: ["a/b", "..", ".", "../x", "/tmp/x", String(repeating: "n", count: 221)])
        func `is refused when it is not a valid file name`(name: String) {
            let suite = Suite(name)
            for call in [{ try suite.set(1, forKey: "a") }, { _ = try suite.upgrade(with: [Migration(to: 1, "one")]) }]
            {
                #expect(throws: MoltError.self) { try call() }?.expect(.invalidSuite)
            }
        }

        @Test(arguments: ["a b%20c?d#e", "ü.ключ", ".hidden", "~x", String(repeating: "n", count: 220)])
        func `may be any other file name`(name: String) throws {
            let scratch = ScratchSuite(named: name)
            defer { try? FileManager.default.removeItem(at: scratch.file) }
            try scratch.suite.set(1, forKey: "a")
            #expect(try scratch.defaults.integer(forKey: "a") == 1)
            #expect(FileManager.default.fileExists(atPath: try scratch.file.path))
        }
    #endif
}
