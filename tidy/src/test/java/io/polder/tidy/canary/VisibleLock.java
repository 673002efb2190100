package io.polder.tidy.canary;

import java.lang.foreign.Arena;

/** Takes every kind of lock that users can hold, and one that they cannot. */
public class VisibleLock {
    private final Arena field = Arena.ofAuto();
    private final Object own = new Object();
    private int count;

    synchronized void ofMethod() {
        count++;
    }

    void ofThis() {
        synchronized (this) {
            count++;
        }
    }

    void ofField() {
        synchronized (field) {
            count++;
        }
    }

    static void ofArgument(VisibleLock other) {
        synchronized (other) {
            other.count++;
        }
    }

    void ofClass() {
        synchronized (VisibleLock.class) {
            count++;
        }
    }

    /** Nobody else has this one. */
    int ofItsOwn() {
        synchronized (own) {
            return count;
        }
    }
}
