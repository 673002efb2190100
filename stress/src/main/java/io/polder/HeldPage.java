package io.polder;

import io.polder.page.Page;
import io.polder.page.PageCache;

/** A page that a program has. */
final class HeldPage {
    private final PageCache cache;
    private final Page page;
    private boolean giving;
    private boolean given;

    HeldPage(PageCache cache, Page page) {
        this.cache = cache;
        this.page = page;
    }

    Page page() {
        return page;
    }

    /** Gives it; if that was tried before, it may be given already. */
    void give() {
        if (given) {
            return;
        }
        boolean again = giving;
        giving = true;
        try {
            cache.give(page);
        } catch (IllegalStateException givenAlready) {
            if (!again) {
                throw givenAlready;
            }
        }
        given = true;
    }
}
