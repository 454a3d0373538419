package io.parley.endpoint.internal.messenger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PendingFuturesTest {

    private final PendingFutures futures = new PendingFutures();

    private CompletableFuture<Void> add() {
        CompletableFuture<Void> future = new CompletableFuture<>();
        futures.add(future);
        return future;
    }

    @Test
    void futuresThatAreGivenUp_areForgotten_andTheOthersStayInOrder() {
        List<CompletableFuture<Void>> pending = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            if (i % 100 == 0) {
                pending.add(add());
            }
            add().cancel(false);
        }
        assertThat(futures.isPending()).isTrue();
        List<CompletableFuture<Void>> removed = futures.removeAll();
        assertThat(removed).hasSizeLessThanOrEqualTo(2 * pending.size());
        assertThat(removed).filteredOn(future -> !future.isDone()).containsExactlyElementsOf(pending);
        assertThat(futures.isPending()).isFalse();
        assertThat(futures.removeAll()).isEmpty();
    }

    @Test
    void manyFutures_allStay_andNoneIsPendingAfterAllAreGivenUp() {
        List<CompletableFuture<Void>> pending = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            pending.add(add());
        }
        for (CompletableFuture<Void> future : pending) {
            assertThat(futures.isPending()).isTrue();
            future.cancel(false);
        }
        assertThat(futures.isPending()).isFalse();
    }
}
