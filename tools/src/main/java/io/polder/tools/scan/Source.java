package io.polder.tools.scan;

/** Where artifacts come from: what a PATH on the command line stands for. */
interface Source {
    /**
     * Shows all artifacts, one after the other. What cannot be read is an artifact with a problem.
     *
     * @param span what the source is of the whole scan
     */
    void visit(Visitor visitor, Span span) throws InterruptedException;

    /** Who looks at artifacts. */
    interface Visitor {
        /**
         * Called for each artifact, which can be read until this returns.
         *
         * @param span what the artifact is of the whole scan
         */
        void artifact(Artifact artifact, Span span) throws InterruptedException;
    }
}
