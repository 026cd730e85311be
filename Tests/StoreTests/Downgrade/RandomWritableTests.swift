import Foundation
import Generators
import Molt
import TestSupport
import Testing

/// Release 2 adds required properties to the elements of arrays, to payloads and to nested objects of two types.
@Suite struct `A random store that older releases may write` {
    /// An element that both releases know by its title.
    private protocol Titled: Codable, Equatable, Sendable { var title: String { get set } }

    private struct OldTrack: Titled { var title: String }

    private struct NewTrack: Titled {
        var title: String
        var rating: Int
        var credits: [String: [String]]
    }

    private enum OldPart: Titled {
        case song(name: String)
        case pause(String)

        var title: String {
            get {
                switch self {
                case .song(let name), .pause(let name): name
                }
            }
            set { if case .song = self { self = .song(name: newValue) } else { self = .pause(newValue) } }
        }
    }

    private enum NewPart: Titled {
        case song(name: String, key: Int)
        case pause(String, isLong: Bool)

        var title: String {
            get {
                switch self {
                case .song(let name, _), .pause(let name, _): name
                }
            }
            set {
                switch self {
                case .song(_, let key): self = .song(name: newValue, key: key)
                case .pause(_, let isLong): self = .pause(newValue, isLong: isLong)
                }
            }
        }
    }

    private struct Album<Track: Titled, Part: Titled>: Codable, Equatable, Sendable, RecordType {
        static var recordTypeName: String { "Album" }
        var tracks: [Track]
        var parts: [Part?]
        var sides: [[Track]]
        var best: [String: [Part]]
    }

    private struct Mix<Track: Titled, Part: Titled>: Codable, Equatable, Sendable, RecordType {
        static var recordTypeName: String { "Mix" }
        @KeepingUnknownElements var parts: [Part]
        var first: Track?
    }

    private typealias Old = (album: Album<OldTrack, OldPart>, mix: Mix<OldTrack, OldPart>)

    /// Elements with different titles.
    private static func many<Element>(
        _ random: inout SeededGenerator,
        _ make: (inout SeededGenerator, String) -> Element
    )
        -> [Element]
    {
        (0..<random.below(5)).map { number in make(&random, "\(number)") }
    }

    private static func track(_ random: inout SeededGenerator, _ title: String) -> NewTrack {
        NewTrack(title: title, rating: random.below(9), credits: random.oneIn(2) ? [:] : ["by": [title]])
    }

    private static func part(_ random: inout SeededGenerator, _ title: String) -> NewPart {
        random.oneIn(2) ? .song(name: title, key: random.below(9)) : .pause(title, isLong: random.oneIn(2))
    }

    /// One change of an array, which is the same for both releases: of one element at its place, or of the order.
    private enum Edit: CaseIterable {
        case none, first, last, removal, reversal, exchange

        func apply<Element: Titled>(_ elements: inout [Element]) {
            guard let last = elements.indices.last else { return }
            switch self {
            case .none: break
            case .first: elements[0].title += "!"
            case .last: elements[last].title += "!"
            case .removal: elements.removeFirst()
            case .reversal: elements.reverse()
            case .exchange: elements.swapAt(0, last)
            }
        }

        func apply<Track, Part>(_ album: inout Album<Track, Part>) {
            apply(&album.tracks)
            var parts = album.parts.compactMap { $0 }
            if parts.count == album.parts.count {
                apply(&parts)
                album.parts = parts
            }
            if let last = album.sides.indices.last { apply(&album.sides[last]) }
            for key in album.best.keys {
                if var parts = album.best[key] {
                    apply(&parts)
                    album.best[key] = parts
                }
            }
        }

        func apply<Track, Part>(_ mix: inout Mix<Track, Part>) {
            apply(&mix.parts)
            mix.first?.title += "!"
        }
    }

    @Test(arguments: 0..<20)
    func `has what the newer release added after the older one has changed it`(seed: Int) throws {
        let scratch = try ScratchDirectory()
        let first = Migration(to: 1, "first")
        let new = try CodableCache(
            at: scratch.file(),
            migrations: [first, Migration(to: 2, "more").olderReleases(may: .write)]
        )
        let old = try CodableCache(at: scratch.file(), migrations: [first])
        var random = SeededGenerator(seed: UInt64(seed))
        for edit in Edit.allCases {
            var album = Album<NewTrack, NewPart>(
                tracks: Self.many(&random, Self.track),
                parts: Self.many(&random) { random, title in random.oneIn(9) ? nil : Self.part(&random, title) },
                sides: Self.many(&random) { random, _ in Self.many(&random, Self.track) },
                best: ["a": Self.many(&random, Self.part), "b": Self.many(&random, Self.part)]
            )
            var mix = Mix<NewTrack, NewPart>(
                parts: Self.many(&random, Self.part),
                first: random.oneIn(2) ? Self.track(&random, "1") : nil
            )
            try new.set(album, forKey: "album")
            try new.set(mix, forKey: "mix")
            var older: Old = (
                try #require(try old.value(forKey: "album")), try #require(try old.value(forKey: "mix"))
            )
            switch random.below(3) {
            case 0:
                edit.apply(&older.album)
                edit.apply(&older.mix)
                try old.batch { batch in
                    try batch.set(older.album, forKey: "album")
                    try batch.set(older.mix, forKey: "mix")
                }
            case 1:
                edit.apply(&older.album)
                edit.apply(&older.mix)
                try old.set(older.album, forKey: "album")
                try old.set(older.mix, forKey: "mix")
            default:
                try old.update(Album<OldTrack, OldPart>.self, forKey: "album") { edit.apply(&$0) }
                try old.update(Mix<OldTrack, OldPart>.self, forKey: "mix") { edit.apply(&$0) }
            }
            edit.apply(&album)
            edit.apply(&mix)
            #expect(try new.value(forKey: "album") == album, "\(edit)")
            #expect(try new.value(forKey: "mix") == mix, "\(edit)")
        }
    }
}
