package io.polder.page.space;

import io.polder.page.space.Extent.State;

/** What the extents and runs of some reservations add up to, counted one by one. */
final class PageSums {
    long taken;
    long warmFree;
    long isolated;
    int takenCount;
    long boundaries;

    PageSums(PageReservation[] reservations) {
        for (PageReservation reservation : reservations) {
            boundaries += reservation.moved.boundaries();
            reservation.addTo(this);
        }
    }

    void add(Extent extent) {
        if (extent.state == State.TAKEN) {
            taken += extent.count;
            takenCount++;
        } else {
            isolated += extent.charged;
        }
    }

    void addWarm(int count) {
        warmFree += count;
    }
}
