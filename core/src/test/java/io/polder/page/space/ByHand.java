package io.polder.page.space;

/** What a space has done in the background, for tests that do it by hand. */
final class ByHand {
    final PageUncommitter uncommitter;
    final Assembler assembler;
    final Defragmenter defragmenter;
    final Decay decay;

    ByHand(PageSpace space) {
        PageState state = space.state;
        long mappingsMax = space.statistics().mappingsLimit();
        uncommitter = new PageUncommitter(state, false);
        assembler = new Assembler(state, mappingsMax);
        defragmenter =
                new Defragmenter(state, assembler, uncommitter, new Cleaner(state), mappingsMax);
        decay = new Decay(state, uncommitter);
    }
}
