package io.polder.tidy.canary;

/** Users do not see this class, but one above it. */
final class HiddenLock extends VisibleLock {
    @Override
    void ofThis() {
        synchronized (this) {
            super.ofThis();
        }
    }
}
