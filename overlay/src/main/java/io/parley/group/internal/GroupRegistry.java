package io.parley.group.internal;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PeerGroupAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.TextSanitizer;
import io.parley.discovery.Publication;
import io.parley.error.ErrorCode;
import io.parley.group.PeerGroup;
import io.parley.id.GroupId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The groups of one peer: the net group, from its start to its end, and the groups that were joined by name. Closing leaves all
 * of them. Thread-safe.
 */
public final class GroupRegistry implements AsyncCloseable {

    /** The name of the net group. */
    public static final String NET_NAME = "net";

    /** The specification of JXTA's standard peer group. */
    private static final AdvertisementId STANDARD_GROUP =
            new AdvertisementId("urn:jxta:uuid-DEADBEEFDEAFBABAFEEDBABE00000001" + "0306");

    private final GroupContext context;
    private final JoinedGroup net;
    private final Map<GroupId, JoinedGroup> joined = new LinkedHashMap<>();
    private boolean closing;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Joins the net group. */
    public GroupRegistry(GroupContext context) {
        this.context = context;
        this.net = new JoinedGroup(context, GroupId.NET, NET_NAME);
    }

    /** Returns the net group. */
    public PeerGroup net() {
        return net;
    }

    /** Returns the groups that were joined and not left, in that order, without the net group. */
    public List<PeerGroup> joined() {
        synchronized (joined) {
            return joined.values().stream()
                    .filter(group -> !group.isClosing())
                    .map(PeerGroup.class::cast)
                    .toList();
        }
    }

    /**
     * Joins the open group of that name and publishes it in the net group. If this peer is a member already, the same group is
     * returned.
     *
     * @param name 1 to 256 characters, without white space at its ends
     * @throws IllegalArgumentException if the name is empty, too long, or not well-formed Unicode, or has white space at an end
     * @throws io.parley.error.ParleyException {@link ErrorCode#CLOSED}; {@link ErrorCode#BUSY} if the peer is leaving the group;
     *     {@link ErrorCode#LOCAL_LIMIT} if the peer is in as many groups as a lease has room for
     */
    public PeerGroup join(String name) {
        if (name.isEmpty() || name.length() > 256) {
            throw new IllegalArgumentException("group name: " + name.length() + " characters (expected: 1 to 256)");
        }
        if (!name.equals(name.trim())) { // its advertisement has the trimmed name, of which others derive another id
            throw new IllegalArgumentException(
                    "group name: " + TextSanitizer.quote(name) + " (expected: no white space at its ends)");
        }
        GroupId id = GroupId.ofName(name);
        synchronized (joined) {
            if (closing) {
                throw ErrorCode.CLOSED.exception("group " + name + ": the peer is closed");
            }
            JoinedGroup known = joined.get(id);
            if (known != null && !known.isClosing()) {
                return known;
            }
            if (known != null && !known.isClosed()) {
                throw ErrorCode.BUSY.exception(
                        "group " + name + ": the peer is leaving it; join again after whenClosed() of the group");
            }
            joined.values().removeIf(JoinedGroup::isClosed);
            JoinedGroup group = new JoinedGroup(context, id, name);
            joined.put(id, group); // first: also a group whose publication fails is tracked until it is left
            try {
                publish(group);
            } catch (RuntimeException | Error e) {
                group.closeAsync();
                throw e;
            }
            return group;
        }
    }

    private void publish(JoinedGroup group) {
        Publication publication = net.discovery()
                .publish(new PeerGroupAdvertisement(
                        AdvertisementId.of(group.id()), STANDARD_GROUP, group.name(), null, List.of()));
        group.whenClosed().thenRun(publication::closeAsync);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        List<JoinedGroup> open;
        synchronized (joined) {
            if (closing) {
                return closed.copy();
            }
            closing = true;
            open = List.copyOf(joined.values());
        }
        CompletableFuture.allOf(open.stream().map(JoinedGroup::closeAsync).toArray(CompletableFuture<?>[]::new))
                .thenCompose(left -> net.closeAsync())
                .whenComplete((left, failure) -> closed.complete(null));
        return closed.copy();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        synchronized (joined) {
            return closing;
        }
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, context.endpoint().limits().closeTimeout());
    }
}
