import Foundation
import Molt
import TestSupport
import Testing

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
        MoltError.thrown { try suite.validate() }?.expect(.invalidSuite, store: name)
        MoltError.thrown { try suite.value(forKey: "a") }
        MoltError.thrown { try suite.set(1, forKey: "a") }
        MoltError.thrown { try suite.values() }
        MoltError.thrown { try suite.synchronize() }
        MoltError.thrown { try suite.checkWritable() }
        MoltError.thrown { try suite.upgrade(with: [Migration(to: 1, "one")]) }
    }

    #if os(Linux)
        @Test(arguments: ["a/b", "..", ".", "../x", "/tmp/x", String(repeating: "n", count: 221)])
        func `is refused when it is not a valid file name`(name: String) {
            let suite = Suite(name)
            MoltError.thrown { try suite.set(1, forKey: "a") }?.expect(.invalidSuite)
            MoltError.thrown { try suite.upgrade(with: [Migration(to: 1, "one")]) }?.expect(.invalidSuite)
        }

        @Test(arguments: ["a b%20c?d#e", "ü.ключ", ".hidden", "~x", String(repeating: "n", count: 220)])
        func `may be any other file name`(name: String) throws {
            let scratch = ScratchSuite(named: name)
            defer { try? FileManager.default.removeItem(at: scratch.file) }
            try scratch.suite.set(1, forKey: "a")
            try scratch.expectFile(["a": 1])
        }
    #endif
}
