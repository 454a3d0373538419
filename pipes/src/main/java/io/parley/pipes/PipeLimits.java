package io.parley.pipes;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * The limits of a {@link PipeAcceptor}. Remote hosts share the totals: when four fifths of a total are used up, a host gets no more than an
 * equal share, which is at most a half.
 *
 * @param maxPipes          requests and open pipes of all remote peers. A further request is refused with
 *                          {@link io.parley.error.ErrorCode#BUSY}
 * @param maxPipesPerPeer   requests and open pipes of one remote peer
 * @param maxPending        requests that are not decided, and refusals that are not delivered. A further request is dropped, because a
 *                          refusal costs memory too; the connect of the remote peer then ends with its timeout
 * @param maxPendingPerPeer the same of one remote peer
 * @param acceptTimeout     time for the decision about a request, and for an accepted remote peer to open its direction
 */
public record PipeLimits(
        int maxPipes, int maxPipesPerPeer, int maxPending, int maxPendingPerPeer, Duration acceptTimeout) {

    /** The defaults. */
    public static final PipeLimits DEFAULTS = new PipeLimits(16_384, 1024, 1024, 64, Duration.ofSeconds(30));

    /** @throws IllegalArgumentException with the name of the limit, its value and its range */
    public PipeLimits {
        Arguments.requireAtLeast("maxPipes", maxPipes, 1);
        Arguments.requireAtLeast("maxPipesPerPeer", maxPipesPerPeer, 1);
        Arguments.requireAtLeast("maxPending", maxPending, 1);
        Arguments.requireAtLeast("maxPendingPerPeer", maxPendingPerPeer, 1);
        Arguments.requireTimeout("acceptTimeout", acceptTimeout);
    }
}
