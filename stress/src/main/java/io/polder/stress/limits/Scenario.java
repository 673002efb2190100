package io.polder.stress.limits;

import static io.polder.stress.limits.Seccomp.ENOSYS;
import static io.polder.stress.limits.Seccomp.EPERM;

import io.polder.stress.limits.Seccomp.Rule;

import java.util.Arrays;
import java.util.List;

/**
 * A limit, and what a program sees of the library under it. The facts are those that {@link
 * Workload} tells; all that are named must hold. That memory is clean, keeps what was written to it
 * and that errors can be caught is checked under every limit.
 */
@SuppressWarnings("ImmutableEnumChecker") // lists that cannot be changed
enum Scenario {
    NONE(
            new Limit(),
            "provider=linux givesBack=true returned=true assembled=true large=true"
                    + " evacuated=true"),

    MEMBARRIER(new Limit(Rule.all(SystemCalls.MEMBARRIER, EPERM)), "evacuated=true returned=true"),
    MEMBARRIER_ABSENT(
            new Limit(Rule.all(SystemCalls.MEMBARRIER, ENOSYS)), "evacuated=true returned=true"),
    MREMAP(
            new Limit(Rule.all(SystemCalls.MREMAP, EPERM)),
            "assembled=false large=true evacuated=true returned=true givesBack=true"),
    PROCESS_MADVISE(
            new Limit(Rule.all(SystemCalls.PROCESS_MADVISE, EPERM)),
            "givesBack=true returned=true"),
    PROCESS_MADVISE_ABSENT(
            new Limit(Rule.all(SystemCalls.PROCESS_MADVISE, ENOSYS)),
            "givesBack=true returned=true"),
    MADVISE(
            new Limit(
                    Rule.all(SystemCalls.MADVISE, EPERM),
                    Rule.all(SystemCalls.PROCESS_MADVISE, EPERM)),
            "givesBack=false large=true pooled=true evacuated=true"),
    MADVISE_DONTNEED(
            new Limit(
                    new Rule(SystemCalls.MADVISE, 2, 4, EPERM),
                    Rule.all(SystemCalls.PROCESS_MADVISE, EPERM)),
            "givesBack=false pooled=true evacuated=true"),
    MINCORE(new Limit(Rule.all(SystemCalls.MINCORE, EPERM)), "givesBack=true returned=true"),
    PRLIMIT(new Limit(Rule.all(SystemCalls.PRLIMIT64, EPERM)), "givesBack=true returned=true"),
    ALL_OF_THESE(
            new Limit(
                    Rule.all(SystemCalls.MEMBARRIER, EPERM),
                    Rule.all(SystemCalls.MREMAP, EPERM),
                    Rule.all(SystemCalls.PROCESS_MADVISE, EPERM),
                    Rule.all(SystemCalls.MADVISE, EPERM),
                    Rule.all(SystemCalls.MINCORE, EPERM),
                    Rule.all(SystemCalls.PRLIMIT64, EPERM)),
            "givesBack=false large=false pooled=true evacuated=true"),

    /** A pool may have 1 TiB, a process 1.3 GiB of address space. */
    ADDRESS_SPACE(
            new Limit().shell("ulimit -v 1400000"),
            "exhausted=true again=true givesBack=true returned=true"),
    /** The same of memory that can be written: refused as under vm.overcommit_memory=2. */
    DATA(
            new Limit().shell("ulimit -d 900000"),
            "exhausted=true again=true givesBack=true returned=true"),
    /** Nearly as many mappings as vm.max_map_count allows are in use when the library begins. */
    MAPPINGS(new Limit().mappingsLeft(250), "givesBack=true returned=true evacuated=true"),

    /** Not a limit: must be seen to fail, or nothing above is believed. */
    CANARY(new Limit(), "givesBack=false");

    /** What is set on the process; each method returns the same with more. */
    record Limit(List<Rule> refused, String shell, int mappingsLeft) {

        /** Everything is allowed but these calls. */
        Limit(Rule... refused) {
            this(List.of(refused), "", 0);
        }

        /** Set by a command of the shell that starts it. */
        Limit shell(String command) {
            return new Limit(refused, command, mappingsLeft);
        }

        /** All mappings but so many are taken before the library begins. */
        Limit mappingsLeft(int count) {
            return new Limit(refused, shell, count);
        }
    }

    final Limit limit;
    final List<String> facts;

    Scenario(Limit limit, String facts) {
        this.limit = limit;
        this.facts = Arrays.asList(facts.split(" ", -1));
    }

    /** Whether a pool with more than the system has is filled, too. */
    boolean fillsUp() {
        return facts.contains("exhausted=true");
    }
}
