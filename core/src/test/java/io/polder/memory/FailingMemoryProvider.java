package io.polder.memory;

import org.jspecify.annotations.Nullable;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * A provider for tests: passes every call on to another, counts it, and fails the ones it was told
 * to fail. A failed call has no effect, as the contract demands.
 *
 * <p>Ranges of a batch and granules of a remap are separate calls here, so that a failure in the
 * middle can be had: {@link OsCallException#done} then says how many came before.
 *
 * <p>Thread-safe. Rules and counters are guarded by the instance.
 */
public final class FailingMemoryProvider extends DelegatingProvider {

    /** The kinds of calls that can be counted and failed. */
    public enum Call {
        RESERVE,
        RELEASE,
        COMMIT,
        POPULATE,
        UNCOMMIT,
        REMAP,
        RENEW,
        ADVISE
    }

    /** Which calls fail, counted from one since the rule was made. */
    private record Rule(LongPredicate fails, int errno, long callsBefore) {}

    private final Map<Call, Rule> rules = new EnumMap<>(Call.class);
    private final Map<Call, Long> calls = new EnumMap<>(Call.class);
    private final Map<Call, Long> failures = new EnumMap<>(Call.class);
    private long reservedBytes;

    public FailingMemoryProvider(MemoryProvider delegate) {
        super(delegate);
    }

    /** Fails the n-th call of a kind from now on, counted from one, and no other. */
    public void fail(Call call, long nth, int errno) {
        failWhen(call, n -> n == nth, errno);
    }

    /** Fails every call of a kind until {@link #heal}. */
    public void failAlways(Call call, int errno) {
        failWhen(call, n -> true, errno);
    }

    /** Fails the calls of a kind whose number, counted from one from now on, the rule accepts. */
    public synchronized void failWhen(Call call, LongPredicate rule, int errno) {
        rules.put(call, new Rule(rule, errno, calls(call)));
    }

    /** Forgets all rules; the counters stay. */
    public synchronized void heal() {
        rules.clear();
    }

    /** How many calls of a kind were made, failed ones included. */
    public synchronized long calls(Call call) {
        return calls.getOrDefault(call, 0L);
    }

    /** How many calls of a kind were failed by a rule. */
    public synchronized long failures(Call call) {
        return failures.getOrDefault(call, 0L);
    }

    /** What was reserved and not released: zero at the end of a test, or something leaks. */
    public synchronized long reservedBytes() {
        return reservedBytes;
    }

    @Override
    public long reserve(long bytes, long alignment) {
        pass(Call.RESERVE, 0, bytes, 0);
        long address = super.reserve(bytes, alignment);
        addReserved(bytes);
        return address;
    }

    @Override
    public void release(long address, long bytes) {
        pass(Call.RELEASE, address, bytes, 0);
        super.release(address, bytes);
        addReserved(-bytes);
    }

    @Override
    public void releaseMapped(long address, long bytes) {
        pass(Call.RELEASE, address, bytes, 0);
        super.releaseMapped(address, bytes);
        addReserved(-bytes);
    }

    @Override
    public void commit(long address, long bytes) {
        pass(Call.COMMIT, address, bytes, 0);
        super.commit(address, bytes);
    }

    @Override
    public void populate(long address, long bytes) {
        pass(Call.POPULATE, address, bytes, 0);
        super.populate(address, bytes);
    }

    @Override
    public void uncommit(long address, long bytes) {
        pass(Call.UNCOMMIT, address, bytes, 0);
        super.uncommit(address, bytes);
    }

    @Override
    public void uncommit(long[] addresses, long[] sizes, int count) {
        int allowed = 0;
        OsCallException failure = null;
        while (allowed < count && failure == null) {
            failure = check(Call.UNCOMMIT, addresses[allowed], sizes[allowed], allowed);
            allowed += failure == null ? 1 : 0;
        }
        super.uncommit(addresses, sizes, allowed);
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void remap(long from, long to, long bytes) {
        long allowed = 0;
        OsCallException failure = null;
        while (allowed < bytes && failure == null) {
            int done = Math.toIntExact(allowed / REMAP_GRANULE_BYTES);
            failure = check(Call.REMAP, from + allowed, REMAP_GRANULE_BYTES, done);
            allowed += failure == null ? Math.min(REMAP_GRANULE_BYTES, bytes - allowed) : 0;
        }
        if (allowed > 0 || failure == null) {
            super.remap(from, to, failure == null ? bytes : allowed);
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void renew(long address, long bytes) {
        pass(Call.RENEW, address, bytes, 0);
        super.renew(address, bytes);
    }

    /** Answers "not taken" when it is to fail: refused advice is no error. */
    @Override
    public boolean adviseHugePages(long address, long bytes, boolean wanted) {
        return check(Call.ADVISE, address, bytes, 0) == null
                && super.adviseHugePages(address, bytes, wanted);
    }

    private void pass(Call call, long address, long bytes, int done) {
        OsCallException failure = check(call, address, bytes, done);
        if (failure != null) {
            throw failure;
        }
    }

    /** Counts a call; the exception to throw if a rule fails it. */
    private synchronized @Nullable OsCallException check(
            Call call, long address, long bytes, int done) {
        long number = calls(call) + 1;
        calls.put(call, number);
        Rule rule = rules.get(call);
        if (rule == null || !rule.fails().test(number - rule.callsBefore())) {
            return null;
        }
        failures.merge(call, 1L, Long::sum);
        return new OsCallException("injected " + call, rule.errno(), address, bytes, done);
    }

    private synchronized void addReserved(long bytes) {
        reservedBytes += bytes;
    }
}
