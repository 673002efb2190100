package io.polder.tools.terminal;

/** Where an experiment says how far it is. */
public interface Progress {
    /**
     * Shows how far the experiment is.
     *
     * @param step what is being done
     * @param done share of the whole experiment that is done, 0 to 1
     */
    void show(String step, double done);

    /** Takes away what is shown, so that other output can follow. */
    void clear();
}
