internal import MoltCache
internal import MoltCore

extension FaultSweep {
    /// Injects one fault into the upgrade of a copy of the fixture, and opens the copy again.
    ///
    /// - Returns: The problem, if any, and whether the fault has occurred.
    func result(
        of trial: FaultSummary.Trial,
        _ course: Course
    ) async throws -> (problem: String?, isTried: Bool) {
        guard trial.fault == .diskFull else { return (try await problem(of: trial, course), true) }
        let store = try store(for: trial.fault)
        let opening = Opening(sweep: self, store: store, entryPoint: entryPoint, course: course)
        // The upgrade may need less space than before; then it must succeed.
        var isTried = false
        do {
            _ = try await upgrade(store, by: entryPoint, nil, pageLimit: trial.point.pages)
        } catch {
            isTried = true
        }
        if let problem = opening.problemLeft() { return (problem, isTried) }
        return (await opening.problemOfFinishing(), isTried)
    }

    private func problem(of trial: FaultSummary.Trial, _ course: Course) async throws -> String? {
        let store = try store(for: trial.fault)
        let opening = Opening(
            sweep: self,
            store: store,
            entryPoint: entryPoint,
            course: course,
            isCommitted: course.isCommitted(at: trial.point)
        )
        switch trial.fault {
        case .throwing, .writeFailsOnce, .closureThrows:
            if let problem = await opening.problem(of: .fail(trial.point)) { return problem }
        case .writesFailFromThenOn(let openings):
            if let problem = await opening.problem(of: .failWrites(from: trial.point)) { return problem }
            for _ in 1..<max(1, openings) {
                if let problem = await opening.problem(of: .failAllWrites) { return problem }
            }
        case .diskFull, nil:
            break
        }
        return await opening.problemOfFinishing()
    }

    /// A copy of the fixture that is opened repeatedly.
    package struct Opening {
        let sweep: FaultSweep
        let store: TemporaryStore
        let entryPoint: EntryPoint
        let course: Course
        let isCommitted: Bool

        package init(
            sweep: FaultSweep,
            store: TemporaryStore,
            entryPoint: EntryPoint,
            course: Course,
            isCommitted: Bool = false
        ) {
            self.sweep = sweep
            self.store = store
            self.entryPoint = entryPoint
            self.course = course
            self.isCommitted = isCommitted
        }

        /// Opens the store with a fault; the problem if the fault is swallowed or leaves damage, else nil.
        func problem(of plan: FaultInjector.Plan) async -> String? {
            let injector = FaultInjector(plan)
            var isDone = false
            do {
                _ = try await sweep.upgrade(store, by: entryPoint, injector)
                isDone = true
            } catch {}
            let left = problemLeft()
            if isDone, injector.isReached {
                let more = left.map { "\n\($0)" } ?? ""
                return "The failure was swallowed: the upgrade continued and reported success." + more
            }
            if !injector.isReached, plan.mustBeReached {
                return "The upgrade did not reach this point again: its steps are not deterministic."
            }
            return left
        }

        /// The problem with the store after the fault; nil if there is none.
        package func problemLeft() -> String? {
            do {
                if let damage = try damage() { return damage }
                let left = try SweptState(store, before: course.before)
                return left.fault(on: course, isCommitted: isCommitted)
            } catch {
                return "The store that was left cannot be read: \(error)"
            }
        }

        /// Opens the store without a fault and compares the result; nil if there is no problem.
        package func problemOfFinishing() async -> String? {
            do {
                _ = try await sweep.upgrade(store, by: entryPoint, nil)
            } catch {
                return "The store can no longer be upgraded: \(Self.text(of: error))"
            }
            do {
                if let damage = try damage() { return damage }
                let differences = try SweptState(store, before: course.before).differences(from: course.after)
                guard !differences.isEmpty else { return nil }
                return """
                    Opened again, the store does not come to the same end as without a fault:
                    \(SweptState.list(differences))
                    """
            } catch {
                return "The result of the next opening cannot be read: \(error)"
            }
        }

        /// An error with its underlying errors in full, because fixtures contain no user data.
        private static func text(of error: any Error) -> String {
            guard let underlying = (error as? MigrationError)?.underlying else { return "\(error)" }
            return "\(error)\n\(text(of: underlying))"
        }

        private func damage() throws -> String? {
            guard sweep.fixture.primary == .cache else { return nil }
            let lines = try CacheStore.damage(at: store.url)
            return lines.isEmpty ? nil : "The file is damaged:\n\(SweptState.list(lines))"
        }
    }
}

extension FaultInjector.Plan {
    /// Whether a deterministic upgrade must reach the point.
    fileprivate var mustBeReached: Bool {
        switch self {
        case .fail, .failWrites, .kill: true
        case .list, .failAllWrites: false
        }
    }
}
