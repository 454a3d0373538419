package io.parley.group;

/** Collects what is needed to join a group. For an open group the name is enough. Not thread-safe. */
public interface GroupBuilder {

    /**
     * Joins the group. The group exists from the time that a first peer joins it. It is published in the net group. If the peer is
     * a member already, the same group is returned.
     *
     * @throws IllegalArgumentException if the name is empty, longer than 256 characters, or not well-formed Unicode
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#CLOSED};
     *     {@link io.parley.error.ErrorCode#BUSY} if the group is being left;
     *     {@link io.parley.error.ErrorCode#LOCAL_LIMIT} if the peer is in as many groups as a lease has room for
     */
    PeerGroup join();
}
