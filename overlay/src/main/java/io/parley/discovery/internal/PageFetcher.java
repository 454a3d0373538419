package io.parley.discovery.internal;

import io.parley.common.internal.Throwables;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Fetches pages from one source until the last page, or until no search needs more results. Thread-safe. */
final class PageFetcher {

    /** A source of pages. */
    @FunctionalInterface
    interface PageSource {
        CompletableFuture<IndexPage> page(int offset, int limit, Duration timeout);
    }

    /** Bounds the pages of a source that always has a next page. */
    private static final int MAX_PAGES = 1000;

    private final PageSource source;
    private final RemoteSearch search;
    private final Executor executor;
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private volatile @Nullable CompletableFuture<IndexPage> pending;
    private int pages;

    PageFetcher(PageSource source, RemoteSearch search, Executor executor) {
        this.source = source;
        this.search = search;
        this.executor = executor;
        end.whenComplete((done, failure) -> {
            CompletableFuture<IndexPage> response = pending;
            if (response != null) {
                response.cancel(false);
            }
        });
    }

    /** Returns a future that completes at the end; it fails if the source fails. */
    CompletableFuture<Void> end() {
        return end;
    }

    void stop() {
        end.complete(null);
    }

    /** Fetches the page at an offset and those after it. */
    void fetch(int offset) {
        int missing = search.missing();
        Duration remaining = search.remaining();
        if (end.isDone() || missing == 0 || remaining.isZero() || pages++ >= MAX_PAGES) {
            end.complete(null);
            return;
        }
        try {
            CompletableFuture<IndexPage> response =
                    source.page(offset, Math.min(missing, DiscoveryMessages.MAX_PAGE_RESULTS), remaining);
            pending = response;
            if (end.isDone()) { // stopped concurrently
                response.cancel(false);
            }
            response.whenComplete((page, failure) -> onResponse(offset, page, failure));
        } catch (RuntimeException e) {
            end.completeExceptionally(e);
        }
    }

    private void onResponse(int offset, IndexPage page, @Nullable Throwable failure) {
        if (failure != null) {
            end.completeExceptionally(Throwables.unwrap(failure));
            return;
        }
        try {
            executor.execute(() -> onPage(offset, page));
        } catch (RejectedExecutionException e) {
            end.complete(null);
        } catch (RuntimeException | Error e) { // such as a thread that cannot be created
            end.completeExceptionally(e);
        }
    }

    private void onPage(int offset, IndexPage page) {
        search.accept(page.documents());
        int next = page.next().orElse(0);
        if (next > offset) {
            fetch(next);
        } else {
            end.complete(null);
        }
    }
}
