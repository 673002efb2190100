package io.polder.page.space;

/** Skeleton. */
final class PageState {}
