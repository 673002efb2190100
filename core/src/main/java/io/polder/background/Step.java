package io.polder.background;

/** What a {@link Task} does each time. */
@FunctionalInterface
public interface Step {
    /**
     * Does a part of the work; on the background thread, with none of its locks held.
     *
     * @return whether there is more to do after another period
     */
    boolean run();
}
