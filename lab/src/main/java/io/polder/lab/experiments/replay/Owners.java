package io.polder.lab.experiments.replay;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * Who lives, and what they have requested.
 *
 * <p>{@code usedBytes == sum of usedBytes of the living}. An event that cannot follow the ones
 * before changes nothing. Not thread-safe.
 */
final class Owners {
    private final Map<Long, LoggedOwner> living = new HashMap<>();
    private long events;
    private long usedBytes;

    /**
     * Applies an event.
     *
     * @return whom it is about
     * @throws BrokenLogException if it cannot follow the ones before
     */
    LoggedOwner apply(ArenaEvent event) throws BrokenLogException {
        LoggedOwner owner =
                switch (event.kind()) {
                    case BORN -> bear(event);
                    case REQUESTED -> known(event);
                    case DIES -> known(event);
                };
        switch (event.kind()) {
            case BORN -> {}
            case REQUESTED -> {
                owner.use(event.bytes());
                usedBytes += event.bytes();
            }
            case DIES -> {
                living.remove(event.address());
                usedBytes -= owner.usedBytes();
            }
        }
        events++;
        return owner;
    }

    private LoggedOwner bear(ArenaEvent event) throws BrokenLogException {
        LoggedOwner owner = new LoggedOwner(events);
        if (living.putIfAbsent(event.address(), owner) != null) {
            throw new BrokenLogException(
                    "an arena dies before another is born at its address (is this the log of one"
                            + " JVM?): arena="
                            + event.arena());
        }
        return owner;
    }

    private LoggedOwner known(ArenaEvent event) throws BrokenLogException {
        LoggedOwner owner = living.get(event.address());
        if (owner == null) {
            throw new BrokenLogException(
                    "an arena is born before it requests or dies (is the beginning of the log"
                            + " missing?): arena="
                            + event.arena());
        }
        return owner;
    }

    /** How many events there were. */
    long events() {
        return events;
    }

    int count() {
        return living.size();
    }

    /** What the living have requested. */
    long usedBytes() {
        return usedBytes;
    }

    Collection<LoggedOwner> living() {
        return living.values();
    }
}
