package io.polder.memory;

import java.lang.foreign.Arena;
import java.util.Objects;

/**
 * Memory from the JDK's own shared arenas, for systems that Polder does not know and for JVMs that
 * deny native access. It makes no restricted call.
 *
 * <p>One arena per reservation. A reservation is committed and zeroed as a whole when it is made,
 * and nothing is given back before its release: callers should reserve little at a time.
 *
 * <p><b>Failure.</b> Memory that the JDK cannot get is {@link Errno#ENOMEM}.
 *
 * <p><b>Threads.</b> Thread-safe; reservations are made and released under the monitor. {@link
 * #release} costs what closing a shared arena costs, a handshake with every thread.
 */
final class PlainMemoryProvider implements MemoryProvider {

    /** The unit of ranges. No mapping depends on it, so it need not be the machine's own. */
    static final long OS_PAGE_SIZE = 4096;

    private final Reservations reservations = new Reservations();

    @Override
    public String name() {
        return "plain";
    }

    @Override
    public long osPageSize() {
        return OS_PAGE_SIZE;
    }

    @Override
    public boolean canUncommit() {
        return false;
    }

    @Override
    public boolean canRemap() {
        return false;
    }

    @Override
    public synchronized long reserve(long bytes, long alignment) {
        Reservation made = new Reservation(0, bytes);
        Reservation[] room = reservations.roomForOneLocked();
        StackBang.ensure(); // for the JDK's part
        Arena arena = Arena.ofShared();
        made.arena = arena;
        try {
            made.address = arena.allocate(bytes, Math.max(alignment, OS_PAGE_SIZE)).address();
            reservations.sorted = ReservedSpace.with(reservations.sorted, made, room);
            return made.address;
        } catch (Throwable failure) {
            if (reservations.sorted == room) {
                throw failure;
            }
            close(arena); // nobody has a segment of it
            // The JDK refuses sizes near the end of the address space as an argument.
            if (failure instanceof OutOfMemoryError
                    || failure instanceof IllegalArgumentException) {
                OsCallException refusal =
                        new OsCallException("Arena.allocate", Errno.ENOMEM, 0, bytes);
                refusal.initCause(failure);
                throw refusal;
            }
            throw failure;
        }
    }

    /**
     * Closes an arena, or finds that it is closed: an error may come out of a close that worked.
     */
    private static void close(Arena arena) {
        StackBang.ensure(); // the JDK closes in two steps
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    @Override
    public synchronized void release(long address, long bytes) {
        Reservation released = reservations.whole(address, bytes);
        Reservation[] others = ReservedSpace.without(reservations.sorted, released);
        close(Objects.requireNonNull(released.arena));
        reservations.sorted = others;
    }

    @Override
    public void commit(long address, long bytes) {
        Reservation _ = reservations.enclosing(address, bytes);
    }
}
