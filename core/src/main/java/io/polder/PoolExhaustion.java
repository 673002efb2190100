package io.polder;

import io.polder.arena.ArenaFactory;
import io.polder.arena.ChunkSource;
import io.polder.event.Printable;
import io.polder.memory.DeepStackRunner;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.Message;
import io.polder.page.PageCache;

import java.lang.System.Logger.Level;
import java.util.List;

/**
 * What a pool does when it has no memory for a request, and whom it wakes when memory came free.
 *
 * <pre>{@code
 *   spans of blocks --> deferred arenas, slabs, chunks --> closes of others --> heaps --> shrinkers
 * }</pre>
 *
 * <p>In this order, until there is room; who did not get enough twice by what comes before heaps
 * goes on to these. A thread in the queue for pages runs no code of users,
 * since those behind it would wait for that: it has shrinkers asked by another thread.
 *
 * <p>What comes free so is for those who asked: see {@link Askers}.
 *
 * <p>Thread-safe. No lock is held where code of users runs.
 */
final class PoolExhaustion extends Askers implements ChunkSource.Listener {
    /** The least that is asked of programs: guessed, as is what the system is short of. */
    private static final long SHRINK_BYTES = PageCache.GRANULE_BYTES;

    /** The part that is asked of programs each second in which the system is short: guessed. */
    private static final int SHRINK_SHARE = 16;

    private final PoolMemory pool;
    private final ExhaustionLog log = new ExhaustionLog();

    PoolExhaustion(PoolMemory pool) {
        this.pool = pool;
    }

    @Override
    public void memoryFreed() {
        pool.task.wake();
    }

    @Override
    public void threadOwnsSlabs() {
        pool.threadsEnding.wake();
    }

    @Override
    public boolean makeRoom() {
        ArenaFactory arenas = pool.arenas;
        long queued = pool.pages.queuedBytes();
        boolean made = pool.blocks.trim() > 0;
        if (!made && pool.settings.checkBlocks()) { // what was written to is told of by now
            made = pool.blocks.trim() > 0;
        }
        if (arenas != null) {
            // A thread in the queue runs no actions of users: those behind it would wait for them.
            made |= queued > 0 ? arenas.drainAll() > 0 : arenas.makeRoom();
        }
        if (queued > 0 && !(made && pool.pages.makeRoom(queued))) {
            boolean _ = compactHeaps(queued); // a thread in the queue tries again anyway
            pool.shrinkers.haveAsked(() -> shrinkForTheQueue(queued));
        }
        return made;
    }

    @Override
    public boolean compactHeaps(long bytes) {
        boolean waits = pool.pages.queuedBytes() == 0;
        return pool.heaps.makeRoom(bytes, waits)
                || (waits && shrink(bytes, bytes)); // 0: the system does not say
    }

    /**
     * Asks programs to free memory, and makes room of what they freed.
     *
     * @param missing how much they are asked for
     * @param wanted with what there is
     */
    boolean shrink(long missing, long wanted) {
        if (pool.shrinkers.ask(missing == 0 ? SHRINK_BYTES : missing) == 0) {
            return false;
        }
        long _ = pool.blocks.trim();
        boolean _ = pool.heaps.makeRoom(wanted, true);
        pool.pages.roomCame();
        return true;
    }

    /** What comes free is for those in the queue, not for those who come meanwhile. */
    private void shrinkForTheQueue(long bytes) {
        asks();
        try {
            // Some may have come since; where all has, it may lie apart.
            long missing = Math.max(SHRINK_BYTES, bytes - pool.pages.roomBytes());
            boolean _ = pool.pages.isWaitedFor() && shrink(missing, bytes);
        } finally {
            boolean _ = asked();
        }
    }

    /** Gives back a part of what is committed. */
    void shrinkForTheSystem() {
        long bytes = Math.max(SHRINK_BYTES, PoolFigures.of(pool).committedBytes() / SHRINK_SHARE);
        if (shrink(bytes, bytes)) {
            long _ = pool.trim();
        }
    }

    @Override
    public long closesEnded() {
        ArenaFactory arenas = pool.arenas;
        return arenas == null ? 0 : arenas.closesEnded();
    }

    @Override
    public boolean awaitClosing(long endedBefore) {
        // A thread in the queue is woken by what comes.
        ArenaFactory arenas = pool.arenas;
        return arenas != null && pool.pages.queuedBytes() == 0 && arenas.awaitClosing(endedBefore);
    }

    @Override
    public void exhausted(MemoryExhaustedException exhausted) {
        refused();
        if (pool.pages.queuedBytes() > 0) {
            return; // who waits is not refused yet
        }
        PoolBackground.tell();
        if (pool.settings.logExhaustion()) {
            try {
                long notLogged = log.next(System.nanoTime());
                if (notLogged >= 0) {
                    logExhausted(exhausted, notLogged);
                }
            } catch (StackOverflowError end) {
                log.logged = false; // the next one is
            } catch (Throwable ignored) {
                // The caller is about to learn that memory is exhausted, and that is what counts
            }
        }
    }

    private void logExhausted(MemoryExhaustedException exhausted, long notLogged) {
        String message =
                Message.of(
                        "pool exhausted: name=%: %%\n%\n%",
                        Printable.of(pool.name()),
                        String.valueOf(exhausted.getMessage()),
                        notLogged == 0 ? "" : ", notLogged=" + notLogged,
                        pool.report(),
                        DeepStackRunner.call(pool::map));
        if (DeepStackRunner.isAmple()) {
            System.getLogger("io.polder").log(Level.WARNING, message);
        } else {
            PoolBackground.complain(List.of(message)); // a first use would break a logger for good
        }
    }
}
