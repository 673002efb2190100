package io.polder.page.space;

/** What a space has done in the background, for tests that do it by hand. */
final class ByHand {
    final PageUncommitter uncommitter;
    final Assembler assembler;
    final Defragmenter defragmenter;
    final Decay decay;

    ByHand(PageSpace space) {
        PageState state = space.state;
        uncommitter = new PageUncommitter(state);
        assembler = new Assembler(state);
        defragmenter = new Defragmenter(state, assembler, uncommitter, new Cleaner(state));
        decay = new Decay(state, uncommitter);
    }
}
