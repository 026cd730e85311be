/// What steps may read or change: the records of some types, and some settings.
struct StepReach: Sendable {
    /// Whether it is the whole store with all suites, as for a closure that may look for anything.
    private var isEverything = false
    /// The types of records; nil for all.
    private var types: Set<String>? = []
    private var places: [SettingsPlace] = []
    /// The names of suites and files as attached stores, all of whose settings it may change.
    private var stores: Set<String> = []

    init(of migration: Migration) {
        // A requirement and a check read the whole store.
        isEverything = !migration.requirements.isEmpty
        for step in migration.steps { add(step.work) }
    }

    private mutating func add(_ work: StepWork) {
        switch work {
        // A closure may also give a record another type.
        case .records(.edit(let edit, _)) where edit.mayGiveKey: types = nil
        case .records(let work): types?.formUnion(work.typeNames)
        // A new key may be that of a record of any type.
        case .store: types = nil
        case .settings(let work): add(work)
        case .bring, .block, .check: isEverything = true
        }
    }

    private mutating func add(_ work: SettingsWork) {
        switch work {
        case .edit(let place, _), .changeForm(let place, _): places.append(place)
        case .moveToRecords(let place, _):
            places.append(place)
            types = nil
        case .removeKeys(let declaration): places += declaration.places
        case .handOver(let declaration): places += declaration.places
        case .renameKeys(let declaration): places += [declaration.place, declaration.newPlace]
        case .convert(let suite, let keys, _, _): places += keys.map { SettingsPlace(suite, key: $0) }
        case .receive, .block: stores.formUnion(work.attached.map(\.name))
        }
    }

    /// Whether there may be a record or a setting in both.
    func meets(_ other: StepReach) -> Bool {
        if isEverything || other.isEverything { return true }
        let haveSameType =
            switch (types, other.types) {
            case (let types?, let others?): !types.isDisjoint(with: others)
            case (let types, let others): types?.isEmpty != true && others?.isEmpty != true
            }
        return haveSameType || !stores.isDisjoint(with: other.stores) || isInStores(of: other)
            || other.isInStores(of: self) || places.contains { place in other.places.contains { place.overlaps($0) } }
    }

    private func isInStores(of other: StepReach) -> Bool {
        places.contains { other.stores.contains($0.suite.attachedName) }
    }
}

extension SettingsPlace {
    /// Whether there are keys in both.
    fileprivate func overlaps(_ other: SettingsPlace) -> Bool {
        guard suite == other.suite else { return false }
        if isPrefix && includes(other.name.text) || other.isPrefix && other.includes(name.text) { return true }
        return name == other.name
    }
}

extension Migration {
    /// Whether a record or a setting may be changed by one of two migrations and read or changed by the other one.
    ///
    /// If not, stores that go through them in either order are the same afterwards. The names of types, suites and keys
    /// that their steps declare decide it.
    package func canMeet(_ other: Migration) -> Bool { StepReach(of: self).meets(StepReach(of: other)) }
}
