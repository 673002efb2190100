package io.polder.agent.rewrite;

/** Numbers the places at which arenas are opened, for those who count them. Thread-safe. */
public interface CallSites {
    /**
     * The number of a place: the same whenever it is asked for again.
     *
     * @param site the place
     * @return 0 or more; several places may share one, but of one kind
     */
    int number(CallSite site);
}
