/**
 * The partial membership view of a group, and the messages that members send to all members of the group over it. Not API: the types
 * are public for the packages of this module.
 */
@NullMarked
package io.parley.group.internal.view;

import org.jspecify.annotations.NullMarked;
