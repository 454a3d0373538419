package io.parley.discovery.internal;

import io.parley.common.internal.Throwables;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Asks one source for page after page, until it has no more or nobody wants more. Thread-safe. */
final class PageFetcher {

    /** Who gives pages. */
    @FunctionalInterface
    interface PageSource {
        CompletableFuture<IndexPage> page(int offset, int limit, Duration timeout);
    }

    /** A source that has ever more to say is not listened to for ever. */
    private static final int MAX_PAGES = 1000;

    private final PageSource source;
    private final RemoteSearch search;
    private final Executor executor;
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private volatile @Nullable CompletableFuture<IndexPage> asking;
    private int pages;

    PageFetcher(PageSource source, RemoteSearch search, Executor executor) {
        this.source = source;
        this.search = search;
        this.executor = executor;
        end.whenComplete((done, failure) -> {
            CompletableFuture<IndexPage> asked = asking;
            if (asked != null) {
                asked.cancel(false);
            }
        });
    }

    /** Completes at the end; fails when the source does. */
    CompletableFuture<Void> end() {
        return end;
    }

    void stop() {
        end.complete(null);
    }

    /** Asks for the page that begins there, and those after it. */
    void ask(int offset) {
        int wanted = search.missing();
        Duration remaining = search.remaining();
        if (end.isDone() || wanted == 0 || remaining.isZero() || pages++ >= MAX_PAGES) {
            end.complete(null);
            return;
        }
        try {
            CompletableFuture<IndexPage> asked =
                    source.page(offset, Math.min(wanted, DiscoveryMessages.MAX_PAGE_RESULTS), remaining);
            asking = asked;
            if (end.isDone()) { // stopped since it was looked at above
                asked.cancel(false);
            }
            asked.whenComplete((page, failure) -> onAnswer(offset, page, failure));
        } catch (RuntimeException e) {
            end.completeExceptionally(e);
        }
    }

    private void onAnswer(int offset, IndexPage page, @Nullable Throwable failure) {
        if (failure != null) {
            end.completeExceptionally(Throwables.unwrap(failure));
            return;
        }
        try {
            executor.execute(() -> onPage(offset, page));
        } catch (RejectedExecutionException e) {
            end.complete(null);
        }
    }

    private void onPage(int offset, IndexPage page) {
        search.take(page.documents());
        int next = page.next().orElse(0);
        if (next > offset) {
            ask(next);
        } else {
            end.complete(null);
        }
    }
}
