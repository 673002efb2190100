package io.polder;

import io.polder.page.Page;

/** A page that a program has. */
final class HeldPage {
    private final Page page;
    private boolean giving;
    private boolean given;

    HeldPage(Page page) {
        this.page = page;
    }

    Page page() {
        return page;
    }

    /** Closes it; if that was tried before, it may be closed already. */
    void give() {
        if (given) {
            return;
        }
        boolean again = giving;
        giving = true;
        try {
            page.close();
        } catch (IllegalStateException givenAlready) {
            if (!again) {
                throw givenAlready;
            }
        }
        given = true;
    }
}
